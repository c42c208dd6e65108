// diagnosis
