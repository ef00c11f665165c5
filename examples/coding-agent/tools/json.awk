# Reads the arguments of a call: one JSON object of strings, on standard input. They stand in `arguments`, by their names.
#
# dsh checks arguments against the tool's schema before it runs the command, so nothing else can come.

BEGIN {
    escaped["\""] = "\""; escaped["\\"] = "\\"; escaped["/"] = "/"
    escaped["b"] = "\b"; escaped["f"] = "\f"; escaped["n"] = "\n"; escaped["r"] = "\r"; escaped["t"] = "\t"
    while ((getline line < "-") > 0) json = json line "\n"
    while ((start = index(json, "\"")) > 0) {
        json = substr(json, start + 1)
        word = string()
        if (is_value) arguments[key] = word
        else key = word
        is_value = !is_value
    }
}

# The string that `json` begins with, up to its closing quote; `json` goes on behind that.
function string(    text, character) {
    while (match(json, /["\\]/)) {
        text = text substr(json, 1, RSTART - 1)
        character = substr(json, RSTART, 1)
        json = substr(json, RSTART + 1)
        if (character == "\"") return text
        character = substr(json, 1, 1)
        json = substr(json, 2)
        text = text (character == "u" ? utf8() : escaped[character])
    }
    return text
}

# The bytes of the character whose number follows; one of two halves is read with the other.
function utf8(    code) {
    code = hexadecimal()
    if (code >= 55296 && code < 56320) {
        json = substr(json, 3)
        code = 65536 + (code - 55296) * 1024 + hexadecimal() - 56320
    }
    if (code < 128) return sprintf("%c", code)
    if (code < 2048) return sprintf("%c%c", 192 + int(code / 64), 128 + code % 64)
    if (code < 65536) return sprintf("%c%c%c", 224 + int(code / 4096), 128 + int(code / 64) % 64, 128 + code % 64)
    return sprintf("%c%c%c%c", 240 + int(code / 262144), 128 + int(code / 4096) % 64, 128 + int(code / 64) % 64, 128 + code % 64)
}

function hexadecimal(    code, place) {
    for (place = 1; place <= 4; place++) code = code * 16 + index("0123456789abcdef", tolower(substr(json, place, 1))) - 1
    json = substr(json, 5)
    return code
}

# Ends the command with an error, which the model reads.
function fail(message) {
    print message > "/dev/stderr"
    exit 1
}

# A path that stays in the project's folder.
function inside(path) {
    if (path == "" || path ~ /^\// || path ~ /(^|\/)\.\.(\/|$)/) fail("the path " path " leaves the project's folder")
    return path
}

# What the file says.
function content(path,    line, text, result) {
    while ((result = (getline line < path)) > 0) text = text line "\n"
    if (result < 0) fail("the file " path " cannot be read")
    close(path)
    return text
}
