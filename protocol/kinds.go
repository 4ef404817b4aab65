package protocol

// commands are all commands, each with its answer. An answer that is no object is
// put in a field of one.
func commands() []kindOf {
	return []kindOf{
		command(Prompt{}, "disposition"), command(Steer{}, "disposition"), command(FollowUp{}, "disposition"),
		command(Retry{}, "disposition"), command(SendQueue{}, "disposition"), command(PromptAt{}), command(Append{}),
		command(Abort{}), command(AbortBash{}), command(AbortRetry{}), command(Answer{}),
		command(GetQueue{}), command(ClearQueue{}), command(DropQueued{}), command(EditQueued{}),

		command(Navigate{}), command(Back{}), command(Forward{}), command(SetLabel{}, "labelEntryId"), command(Take{}),
		command(Hide{}), command(Unhide{}), command(EditContext{}), command(GetEntry{}),
		command(Compact{}), command(EditSummary{}, "entryId"),

		command(SetName{}), command(MakeTitle{}, "name"), command(NewSession{}), command(SwitchSession{}), command(Fork{}), command(Clone{}),
		command(ListSessions{}), command(SearchSessions{}), command(RenameSession{}), command(TrashSession{}),
		command(RestoreSession{}, "path"), command(CheckSession{}), command(Export{}),

		command(GetState{}), command(GetStats{}), command(GetCost{}), command(GetPolicy{}), command(Sync{}),
		command(SetModel{}), command(CycleModel{}), command(GetModels{}),
		command(SetThinking{}, "level"), command(CycleThinking{}, "level"),
		command(GetPermissions{}), command(SetPermissions{}),
		command(GetCommands{}), command(GetTools{}), command(SetTools{}), command(GetServers{}), command(Reconnect{}),
		command(GetSystemPrompt{}), command(Reload{}), command(GetSettings{}), command(SetSetting{}), command(Bash{}),
	}
}

// events are all events.
func events() []Event {
	return []Event{
		Opened{}, State{}, Appended{}, LeafMoved{},
		RunStarted{}, LoopStarted{}, TurnStarted{}, AnswerStarted{}, Delta{}, TurnEnded{}, LoopEnded{}, RunEnded{},
		ToolStarted{}, ToolProgress{}, ToolEnded{}, BashStarted{}, BashOutput{},
		QueueChanged{}, NameChanged{}, ModelChanged{}, ThinkingChanged{}, ContextChanged{}, PermissionsChanged{}, SavingChanged{},
		RetryStarted{}, RetryEnded{}, Notice{}, Asked{}, Answered{}, Synced{},
		CompactionStarted{}, CompactionEnded{}, SummaryRetryScheduled{}, SummaryRetryStarted{}, SummaryRetryEnded{},
		BranchSummaryStarted{}, BranchSummaryEnded{},
	}
}
