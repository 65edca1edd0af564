"""What all plots share: canvas, readout, legend, table of the plotted numbers and export menu."""
