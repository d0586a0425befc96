ALTER TABLE "chat_participants" ADD COLUMN "muted_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "chat_participants" ADD COLUMN "own_changed_in" "xid8" DEFAULT pg_current_xact_id() NOT NULL;--> statement-breakpoint
-- What only one member sees of a room is no news for the others: muting changes another number than what both of them see. The
-- condition of the trigger of before lets the mute through to the one below.
CREATE FUNCTION "mark_own_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.own_changed_in := pg_current_xact_id();
	RETURN NEW;
END $$;--> statement-breakpoint
DROP TRIGGER "chat_participants_changed" ON "chat_participants";--> statement-breakpoint
CREATE TRIGGER "chat_participants_changed" BEFORE UPDATE ON "chat_participants" FOR EACH ROW
	WHEN (OLD.muted_until IS NOT DISTINCT FROM NEW.muted_until OR (OLD.delivered_seq, OLD.read_seq) IS DISTINCT FROM (NEW.delivered_seq, NEW.read_seq))
	EXECUTE FUNCTION mark_changed();--> statement-breakpoint
CREATE TRIGGER "chat_participants_own_changed" BEFORE UPDATE OF "muted_until" ON "chat_participants" FOR EACH ROW
	EXECUTE FUNCTION mark_own_changed();--> statement-breakpoint
-- Receipts and notifications are no rows of their own: they are what the marks of a member say of the messages of others, so no
-- number of theirs can differ from another. Nobody has stored any before. Each id is made of the message and the person.
CREATE VIEW "message_receipts" AS
SELECT md5(m.chat_room_id || ' ' || m.seq || ' ' || p.user_id)::uuid AS id, m.id AS message_id, p.user_id, m.chat_room_id, m.seq,
	CASE WHEN m.seq <= p.read_seq THEN 'read' ELSE 'delivered' END AS status,
	CASE WHEN m.seq <= p.read_seq THEN p.read_at ELSE p.delivered_at END AS timestamp
FROM chat_participants p
JOIN messages m ON m.chat_room_id = p.chat_room_id AND m.sender_id <> p.user_id AND m.seq <= greatest(p.delivered_seq, p.read_seq);--> statement-breakpoint
CREATE VIEW "notifications" AS
SELECT md5(m.chat_room_id || ' ' || m.seq || ' ' || p.user_id)::uuid AS id, p.user_id, m.sender_id, m.id AS message_id, m.chat_room_id, m.seq,
	CASE m.message_type WHEN 'text' THEN 'new_message' ELSE 'file_shared' END AS type,
	m.seq <= greatest(p.read_seq, p.uncounted_seq) AS is_read,
	CASE WHEN m.seq <= p.read_seq THEN p.read_at END AS read_at,
	m.created_at, p.muted_until
FROM chat_participants p
JOIN chat_rooms r ON r.id = p.chat_room_id
JOIN messages m ON m.chat_room_id = p.chat_room_id AND m.sender_id <> p.user_id AND NOT m.is_silent
-- A request is answered first, and who was removed or ignored tells nothing.
WHERE r.type <> 'direct' OR EXISTS (
	SELECT FROM contacts c WHERE c.chat_room_id = p.chat_room_id AND (c.user_id = p.user_id) IS TRUE AND c.state = 'accepted');
