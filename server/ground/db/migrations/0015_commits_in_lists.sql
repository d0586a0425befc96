-- A message changes the row of each member. Now a commit does too, so the room list finds all that is new of a room in the rows of its
-- members and reads no rooms for it. `chat_rooms.changed_in` stays for servers of before, which compare it with the members' rows.
CREATE FUNCTION "mark_members_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	-- Their own trigger writes the transaction.
	UPDATE chat_participants SET changed_in = changed_in WHERE chat_room_id = NEW.id;
	RETURN NULL;
END $$;--> statement-breakpoint
-- Appending a message updates the members itself: for it, this costs a comparison.
CREATE TRIGGER "chat_rooms_members_changed" AFTER UPDATE OF "last_seq", "last_message_at" ON "chat_rooms" FOR EACH ROW
	WHEN (OLD.last_message_seq = NEW.last_message_seq
		AND (OLD.last_seq, OLD.last_message_at) IS DISTINCT FROM (NEW.last_seq, NEW.last_message_at))
	EXECUTE FUNCTION mark_members_changed();--> statement-breakpoint
DROP TRIGGER "chat_rooms_changed" ON "chat_rooms";--> statement-breakpoint
-- Commits of before stand in the rooms alone. Whoever follows a list from before reads it anew, once.
INSERT INTO list_floors (user_id) SELECT id FROM users WHERE deleted_at IS NULL
ON CONFLICT (user_id) DO UPDATE SET changed_in = excluded.changed_in;
