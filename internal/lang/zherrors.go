package lang

// zhErrors is what the session service and other parts refuse something with; the
// texts are recognized by Said.
var zhErrors = []line{}
