package remote

var Needs = needs
