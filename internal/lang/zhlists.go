package lang

// zhLists is what the tree, lists, settings and the questions at the start say.
var zhLists = []line{}
