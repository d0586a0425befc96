-- Notifications are no rows of their own: they are what the marks of a member say of the messages of others, so no number of theirs
-- can differ from another. Each id is made of the message and the person. What was withheld from a member or cleared by them is no news.
CREATE OR REPLACE VIEW "notifications" AS
SELECT md5(p.chat_room_id || ' ' || m.seq || ' ' || p.user_id)::uuid AS id, p.user_id, m.sender_id, m.id AS message_id, p.chat_room_id, m.seq,
	CASE m.message_type WHEN 'text' THEN 'new_message' ELSE 'file_shared' END AS type,
	m.seq <= greatest(p.read_seq, p.uncounted_seq) AS is_read,
	CASE WHEN m.seq <= p.read_seq THEN p.read_at END AS read_at,
	m.created_at, p.muted_until
FROM chat_participants p
JOIN chat_rooms r ON r.id = p.chat_room_id
JOIN messages m ON m.room = r.number AND m.sender_id <> p.user_id AND NOT m.is_silent
	AND m.seq > p.cleared_seq AND NOT m.seq <@ p.withheld
-- A request is answered first, and who was removed or ignored tells nothing.
WHERE r.type <> 'direct' OR EXISTS (
	SELECT FROM contacts c WHERE c.chat_room_id = p.chat_room_id AND (c.user_id = p.user_id) IS TRUE AND c.state = 'accepted');
