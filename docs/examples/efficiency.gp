# Efficiency over GPUs with its 90 % interval, of one strategy, by gnuplot:
#   ddlsim predict scenarios/iris-resnet50.json --strategy ring --csv --output curve.csv
#   gnuplot -e "file='curve.csv'" docs/examples/efficiency.gp > efficiency.svg
set terminal svg size 720,420
set datafile separator comma
set logscale x 2
set yrange [0:1.05]
set xlabel "GPUs"
set ylabel "efficiency"
set key left bottom
set style fill solid 0.3 noborder
plot file using (column("gpus")):(column("efficiency_low")):(column("efficiency_high")) with filledcurves title "90 %", \
     file using (column("gpus")):(column("efficiency")) with linespoints title "likeliest"
