-- Receipts are no rows of their own: they are what the marks of a member say of the messages of others. Each id is made of the message
-- and the person. What was withheld from a member is not received.
CREATE OR REPLACE VIEW "message_receipts" AS
SELECT md5(p.chat_room_id || ' ' || m.seq || ' ' || p.user_id)::uuid AS id, m.id AS message_id, p.user_id, p.chat_room_id, m.seq,
	CASE WHEN m.seq <= p.read_seq THEN 'read' ELSE 'delivered' END AS status,
	CASE WHEN m.seq <= p.read_seq THEN p.read_at ELSE p.delivered_at END AS timestamp
FROM chat_participants p
JOIN chat_rooms r ON r.id = p.chat_room_id
JOIN messages m ON m.room = r.number AND m.sender_id <> p.user_id AND m.seq <= greatest(p.delivered_seq, p.read_seq)
WHERE NOT m.seq <@ p.withheld;
