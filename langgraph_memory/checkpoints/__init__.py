"""The checkpointer beside the memory: what a LangGraph thread needs to go on after a restart."""
