-- Raises the marks of members: up to the given seq, never past the room's last one, never down. At most one of a room and member in a call.
-- The verdict is NULL where a mark may be raised; delivered_seq is NULL too where it stood there already.
-- As in the append a cached plan stays right whatever the tables hold: a pair forces the primary key.
CREATE OR REPLACE FUNCTION "raise_marks"(
	"p_sessions" bytea[], "p_users" uuid[], "p_rooms" text[], "p_seqs" bigint[], "p_read" boolean[],
	"p_now" timestamp with time zone, "p_idle_since" timestamp with time zone, "p_open_since" timestamp with time zone)
RETURNS TABLE ("verdict" text, "delivered_seq" bigint, "read_seq" bigint, "has_delivered" boolean, "audience" text)
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off
SET enable_mergejoin = off SET enable_material = off SET enable_memoize = off SET jit = off
-- Whoever is waited for longer, as while an account is deleted, is told to try again: the others of the call wait with them.
SET lock_timeout = '1s'
AS $$
#variable_conflict use_column
DECLARE
	verdicts text[];
	seqs bigint[];
	numbers bigint[];
	-- The places in this call of marks in a chat with a password, which the session has opened.
	opened bigint[];
BEGIN
	-- Members are locked by key, as the append locks them. What follows sees everything committed before, such as the end of an account.
	PERFORM FROM unnest(p_rooms, p_users) AS a(room, member)
		JOIN chat_participants p ON (p.chat_room_id, p.user_id) >= (a.room, a.member) AND (p.chat_room_id, p.user_id) <= (a.room, a.member)
		ORDER BY a.room, a.member FOR NO KEY UPDATE OF p;

	SELECT array_agg(j.verdict), array_agg(j.number), array_agg(least(j.asked_seq, j.last_seq)),
		coalesce(array_agg(j.place) FILTER (WHERE j.verdict IS NULL AND j.is_protected), '{}')
	INTO verdicts, numbers, seqs, opened
	FROM (
		SELECT a.place, a.seq AS asked_seq, r.number, r.last_seq, m.is_protected,
			CASE
				WHEN s.user_id IS NULL OR u.id IS NULL OR NOT u.is_active OR u.deleted_at IS NOT NULL THEN 'not_signed_in'
				-- [Note: D4] LIMITS.proofSeconds
				WHEN s.proven_at <= p_now - interval '1 day' THEN 'device_required'
				WHEN s.proven_at IS NULL AND u.public_key IS NOT NULL THEN 'device_required'
				WHEN m.user_id IS NULL THEN 'not_found'
				WHEN m.is_protected AND NOT EXISTS (
					SELECT FROM open_chats o WHERE o.chat_room_id = a.room AND o.user_id = a.member
						AND (o.session_hash = a.session) IS TRUE AND o.used_at > p_open_since) THEN 'chat_locked'
			END AS verdict
		FROM unnest(p_sessions, p_users, p_rooms, p_seqs) WITH ORDINALITY AS a(session, member, room, seq, place)
		LEFT JOIN sessions s ON s.token_hash = a.session AND (s.user_id = a.member) IS TRUE
			AND s.expires_at > p_now AND s.last_used_at > p_idle_since
		LEFT JOIN users u ON u.id = a.member
		LEFT JOIN chat_rooms r ON r.id = a.room
		LEFT JOIN chat_participants m ON (m.chat_room_id, m.user_id) >= (a.room, a.member)
			AND (m.chat_room_id, m.user_id) <= (a.room, a.member)
		ORDER BY a.place OFFSET 0
	) j;

	IF cardinality(opened) > 0 THEN
		UPDATE open_chats o SET used_at = p_now
		FROM (
			SELECT held.chat_room_id, held.user_id, held.session_hash FROM unnest(opened) AS marked(place)
			JOIN open_chats held ON held.chat_room_id = p_rooms[marked.place] AND held.user_id = p_users[marked.place]
				AND (held.session_hash = p_sessions[marked.place]) IS TRUE AND held.used_at <= p_now - interval '1 minute'
			-- Whoever locks the chat meanwhile is not waited for.
			FOR NO KEY UPDATE OF held SKIP LOCKED) due
		WHERE o.chat_room_id = due.chat_room_id AND o.user_id = due.user_id AND (o.session_hash = due.session_hash) IS TRUE;
	END IF;

	-- What every member but its author has read ends after its lifetime [Note: M9]. Locked by key, as another member's mark may pass it too.
	-- The own mark may have passed some without a call, by what the member has sent.
	UPDATE timed_messages t SET due_at = least(t.due_at, read.due_at), is_read = true
	FROM (
		SELECT held.room, held.seq, p_now + make_interval(secs => held.lifetime) AS due_at
		FROM unnest(p_users, p_rooms, numbers, seqs, p_read, verdicts) AS a(member, room, number, seq, is_read, verdict)
		JOIN timed_messages held ON held.room = a.number AND held.seq <= a.seq AND NOT held.is_read
		WHERE a.verdict IS NULL AND a.is_read AND held.sender_id <> a.member AND NOT EXISTS (
			SELECT FROM chat_participants o
			WHERE o.chat_room_id = a.room AND o.user_id <> a.member AND o.user_id <> held.sender_id AND o.read_seq < held.seq)
		ORDER BY held.room, held.seq FOR NO KEY UPDATE OF held) read
	WHERE t.room = read.room AND t.seq = read.seq AND NOT t.is_read;

	RETURN QUERY
	WITH raised AS (
		UPDATE chat_participants p SET
			-- One statement keeps a message that has just come in the count. The key's order keeps an old plan from reading the whole room.
			unread_count = CASE WHEN t.is_read THEN p.unread_count - (
				SELECT count(*) FROM (
					SELECT m.sender_id, m.is_silent FROM messages m
					WHERE m.room = t.number AND m.seq <= t.seq AND m.seq > greatest(p.read_seq, p.uncounted_seq)
					ORDER BY m.seq OFFSET 0) passed
				WHERE passed.sender_id <> p.user_id AND NOT passed.is_silent) ELSE p.unread_count END,
			read_seq = CASE WHEN t.is_read THEN t.seq ELSE p.read_seq END,
			read_at = CASE WHEN t.is_read THEN p_now ELSE p.read_at END,
			delivered_at = CASE WHEN p.delivered_seq < t.seq THEN p_now ELSE p.delivered_at END,
			delivered_seq = greatest(p.delivered_seq, t.seq)
		FROM (
			SELECT a.place, a.room, a.member, a.number, a.seq, a.is_read
			FROM unnest(p_rooms, p_users, numbers, seqs, p_read, verdicts) WITH ORDINALITY AS a(room, member, number, seq, is_read, verdict, place)
			WHERE a.verdict IS NULL OFFSET 0) t
		WHERE (p.chat_room_id, p.user_id) >= (t.room, t.member) AND (p.chat_room_id, p.user_id) <= (t.room, t.member)
			AND CASE WHEN t.is_read THEN p.read_seq ELSE p.delivered_seq END < t.seq
		RETURNING t.place, p.delivered_seq, p.read_seq, coalesce(p.delivered_at = p_now, false) AS has_delivered, (
			-- A blocked member is not told and keeps the earlier marks.
			SELECT json_agg(json_build_object('userId', a.member_id, 'seesReading', a.member_id = p.user_id OR (
				SELECT bool_and(u.shows_receipts) FROM users u WHERE u.id = ANY (ARRAY[a.member_id, p.user_id]))))::text
			FROM audience_of(p.chat_room_id, p.user_id) a
			WHERE a.is_told AND (p.shown_read_seq IS NULL OR a.member_id = p.user_id)) AS audience)
	SELECT v.verdict, raised.delivered_seq, raised.read_seq, raised.has_delivered, raised.audience
	FROM unnest(verdicts) WITH ORDINALITY AS v(verdict, place)
	LEFT JOIN raised ON raised.place = v.place ORDER BY v.place;
END $$;
