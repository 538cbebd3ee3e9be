"""Files that a user wrote: a brief of their own, a table of prices; read without trust."""
