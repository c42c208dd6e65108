// downloads
