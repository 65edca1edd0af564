"""What exports leave behind when the system refuses a call, or the process is killed."""
