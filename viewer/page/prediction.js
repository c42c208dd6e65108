// prediction
