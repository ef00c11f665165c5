# Replaces a text that stands in a file once.

BEGIN {
    path = inside(arguments["path"])
    old = arguments["old"]
    text = content(path)
    at = old == "" ? 0 : index(text, old)
    if (at == 0) fail("the text to be replaced is not in " path ": read the file, and give it to the letter")
    if (index(substr(text, at + 1), old) > 0) fail("the text to be replaced stands in " path " more than once: give more of what is round it")
    printf "%s%s%s", substr(text, 1, at - 1), arguments["new"], substr(text, at + length(old)) > path
    if (close(path) != 0) fail("the file " path " cannot be written")
    print "replaced in " path
}
