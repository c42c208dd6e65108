// readout
