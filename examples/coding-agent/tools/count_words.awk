# Counts the words of a file.

BEGIN {
    path = inside(arguments["path"])
    print split(content(path), words) " words in " path
}
