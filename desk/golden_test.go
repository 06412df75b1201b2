package desk

// goldenCommands adds values of all kinds with their bytes in version 1.
func goldenCommands(add func(value any, bytes, text string)) {
	add(Cancel{300}, "01 05 ac02", `{"do":"cancel","id":300}`)
}
