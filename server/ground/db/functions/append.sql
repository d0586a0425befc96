-- Appends messages: under its room's lock each takes the next seq, is refused, or is found to be stored already. At most one of a
-- room and one of a sender in a call, so nothing has to be numbered.
-- The verdicts are found once, not once for each array that asks for them; a binary search finds a room in the sorted array; and the
-- update of the members' rows writes changed_in itself.
-- A cached plan stays right whatever the tables hold: rows are looked up by keys alone, from the messages outwards, and the ways to
-- read a whole table are switched off. "(a = b) IS TRUE" keeps a condition from choosing an index that is not the whole key.
DROP FUNCTION IF EXISTS "append_messages_v4";
DROP FUNCTION IF EXISTS "append_messages_v5";
DROP FUNCTION IF EXISTS "append_messages_v6";
DROP FUNCTION IF EXISTS "append_messages_v7";

CREATE OR REPLACE FUNCTION "append_messages_v8"(
	"p_sessions" bytea[], "p_senders" uuid[], "p_rooms" text[], "p_ids" uuid[], "p_contents" text[], "p_types" text[],
	"p_paths" text[], "p_names" text[], "p_sizes" bigint[], "p_replies" uuid[], "p_groups" text[], "p_epochs" bigint[],
	"p_silent" boolean[], "p_now" timestamp with time zone, "p_idle_since" timestamp with time zone, "p_month" timestamp with time zone,
	"p_open_since" timestamp with time zone, "p_files" uuid[], "p_counted" boolean[], "p_taken_back" text[], "p_lifetimes" integer[],
	"p_once" boolean[], "p_opens" bigint[])
RETURNS TABLE ("verdict" text, "seq" bigint, "listeners" text, "more" json)
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off
SET enable_mergejoin = off SET enable_material = off SET enable_memoize = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	verdicts text[];
	seqs bigint[];
	numbers bigint[];
	told text[];
	details json[];
	-- The place of each message in the call. They are judged in the order of their rooms, so that a binary search finds a room.
	spots bigint[];
	-- Of those that are stored, in that order.
	rooms text[];
	senders uuid[];
	places bigint[];
	silent boolean[];
	-- True for a note to oneself that counts as received.
	noted boolean[];
	-- Whose message counts in the month.
	counted uuid[];
	-- Whose silent message counts in the month.
	hushed uuid[];
	-- Places that their author empties, by message.
	emptied text[];
	gone bigint[];
	-- "room member" of those who have blocked the sender.
	unheard text[];
	requests text[];
	-- The places in this call of messages whose sender has a chat password for the room.
	opened bigint[];
	-- The places of messages of which a member has a chat password.
	guarded bigint[];
	guarded_place bigint;
	spot int;
BEGIN
	-- Every transaction locks in this order: rooms, then senders, then files, each sorted. What follows sees everything committed before.
	PERFORM id FROM chat_rooms WHERE id = ANY (p_rooms) ORDER BY id FOR NO KEY UPDATE;
	PERFORM id FROM users WHERE id = ANY (p_senders) ORDER BY id FOR NO KEY UPDATE;
	-- So nobody drops one of them meanwhile.
	IF array_remove(p_files, NULL) <> '{}' THEN
		PERFORM id FROM objects WHERE id = ANY (p_files) ORDER BY id FOR NO KEY UPDATE;
	END IF;

	SELECT array_agg(j.place), array_agg(j.number), array_agg(j.verdict),
		array_agg(CASE j.verdict WHEN 'stored' THEN j.last_seq + 1 WHEN 'known' THEN j.known_seq END),
		array_agg(CASE WHEN j.verdict = 'stored' THEN j.listeners END),
		array_agg(CASE
			WHEN j.verdict = 'stored' AND (j.is_request OR j.lapsed IS NOT NULL) AND NOT j.is_silent THEN json_build_object(
				'members', j.members, 'lapsed', coalesce(j.lapsed, '{}'), 'hasAccepted', coalesce(j.is_request, false))
			WHEN j.verdict = 'stale_epoch' THEN json_build_object('members', j.members, 'generation', j.generation,
				'groupId', j.room_group_id, 'epoch', j.room_epoch, 'lastSeq', j.last_seq, 'needsCommit', j.needs_commit)
			-- NOTES_LIMITS
			WHEN j.verdict = 'message_limit_reached' THEN json_build_object('messagesPerMonth', CASE WHEN j.is_notes THEN 100 ELSE j.messages_per_month END)
		END),
		coalesce(array_agg(j.chat_room_id) FILTER (WHERE j.verdict = 'stored'), '{}'),
		array_agg(j.sender_id) FILTER (WHERE j.verdict = 'stored'),
		array_agg(j.last_seq + 1) FILTER (WHERE j.verdict = 'stored'),
		array_agg(j.is_silent) FILTER (WHERE j.verdict = 'stored'),
		array_agg(j.is_notes AND j.is_counted) FILTER (WHERE j.verdict = 'stored'),
		array_agg(j.sender_id) FILTER (WHERE j.verdict = 'stored' AND j.is_counted AND NOT j.is_notes),
		array_agg(j.sender_id) FILTER (WHERE j.verdict = 'stored' AND NOT j.is_counted AND NOT j.is_notes AND j.emptied IS NULL
			AND j.is_openable IS NULL AND j.messages_per_month >= 0),
		array_agg(CASE WHEN j.verdict = 'stored' THEN j.emptied END),
		string_to_array(string_agg(j.unheard, ',') FILTER (WHERE j.verdict = 'stored'), ','),
		coalesce(array_agg(j.chat_room_id) FILTER (WHERE j.verdict = 'stored' AND j.is_request AND NOT j.is_silent), '{}'),
		coalesce(array_agg(j.place) FILTER (WHERE j.verdict = 'stored' AND j.is_protected), '{}'),
		coalesce(array_agg(j.place) FILTER (WHERE j.verdict = 'stored' AND j.is_guarded), '{}')
	INTO spots, numbers, verdicts, seqs, told, details, rooms, senders, places, silent, noted, counted, hushed, emptied, unheard, requests, opened, guarded
	FROM (
		SELECT p.place, p.chat_room_id, p.sender_id, p.is_silent, p.is_counted, own.emptied, once.is_openable, known.seq AS known_seq, r.number, r.last_seq, r.generation,
			r.group_id AS room_group_id, r.epoch AS room_epoch, r.needs_commit, rights.messages_per_month,
			a.members, a.listeners, a.lapsed, a.is_request, a.unheard, a.is_protected, a.is_guarded, r.type = 'notes' AS is_notes,
			CASE
				WHEN s.user_id IS NULL OR u.id IS NULL OR NOT u.is_active OR u.deleted_at IS NOT NULL THEN 'not_signed_in'
				-- [Note: D4] LIMITS.proofSeconds
				WHEN s.proven_at <= p_now - interval '1 day' THEN 'device_required'
				WHEN s.proven_at IS NULL AND (u.public_key IS NOT NULL OR p.epoch IS NOT NULL) THEN 'device_required'
				WHEN a.is_member IS NOT TRUE THEN 'not_found'
				WHEN a.is_protected AND NOT EXISTS (
					SELECT FROM open_chats o WHERE o.chat_room_id = p.chat_room_id AND o.user_id = p.sender_id
						AND (o.session_hash = p.session) IS TRUE AND o.used_at > p_open_since) THEN 'chat_locked'
				WHEN known.seq IS NOT NULL THEN 'known'
				WHEN r.is_closed THEN 'account_deleted'
				WHEN p.opens IS NOT NULL AND once.is_openable IS NULL THEN 'already_opened'
				-- Nobody pays to take back what is theirs, to open what was sent to them, or to note something for themselves.
				WHEN rights.can_send IS NOT TRUE AND own.emptied IS NULL AND once.is_openable IS NULL AND r.type <> 'notes' THEN 'subscription_required'
				WHEN p.is_silent AND a.is_unanswered AND own.emptied IS NULL THEN 'not_a_contact'
				WHEN p.file_id IS NOT NULL AND rights.can_share_files IS NOT TRUE THEN 'subscription_required'
				WHEN p.file_id IS NOT NULL AND (f.owner_id, f.kind, f.state, f.size_bytes)
					IS DISTINCT FROM (p.sender_id, 'file', 'stored', p.file_size) THEN 'file_not_found'
				WHEN p.epoch IS NOT NULL AND (r.needs_commit OR (p.group_id, p.epoch) IS DISTINCT FROM (r.group_id, r.epoch::bigint))
					THEN 'stale_epoch'
				-- NOTES_LIMITS
				WHEN p.is_counted AND rights.messages_per_month >= 0 AND r.type = 'notes' AND a.received >= 100 THEN 'message_limit_reached'
				WHEN p.is_counted AND rights.messages_per_month >= 0 AND r.type <> 'notes'
					AND CASE WHEN u.usage_reset_date < p_month THEN 0 ELSE u.monthly_messages_count END >= rights.messages_per_month
					THEN 'message_limit_reached'
				-- SILENT_LIMITS
				WHEN NOT p.is_counted AND own.emptied IS NULL AND once.is_openable IS NULL AND rights.messages_per_month >= 0 AND r.type <> 'notes'
					AND CASE WHEN u.usage_reset_date < p_month THEN 0 ELSE u.monthly_silent_count - 20 * u.monthly_messages_count END >= 200
					THEN 'too_many_requests'
				ELSE 'stored'
			END AS verdict
		FROM unnest(p_sessions, p_senders, p_rooms, p_ids, p_groups, p_epochs, p_silent, p_files, p_sizes, p_counted,
			p_taken_back, p_opens) WITH ORDINALITY
			AS p(session, sender_id, chat_room_id, id, group_id, epoch, is_silent, file_id, file_size, is_counted, taken_back, opens, place)
		LEFT JOIN sessions s ON s.token_hash = p.session AND (s.user_id = p.sender_id) IS TRUE
			AND s.expires_at > p_now AND s.last_used_at > p_idle_since
		LEFT JOIN users u ON u.id = p.sender_id
		LEFT JOIN LATERAL rights_of(p.sender_id, p_now) rights ON true
		LEFT JOIN chat_rooms r ON r.id = p.chat_room_id
		LEFT JOIN objects f ON f.id = p.file_id
		-- The order keeps an old plan from reading the whole room by the key of its places.
		LEFT JOIN LATERAL (
			SELECT k.seq FROM messages k
			WHERE k.room = r.number AND (k.sender_id, k.id) >= (p.sender_id, p.id) AND (k.sender_id, k.id) <= (p.sender_id, p.id)
			ORDER BY k.sender_id, k.id LIMIT 1) known ON true
		-- The sender's own messages of the last two days and ten minutes that are not empty yet (TAKE_BACK_LIMITS).
		LEFT JOIN LATERAL (
			SELECT string_agg(o.seq::text, ' ') AS emptied
			FROM unnest(string_to_array(p.taken_back, ' ')::bigint[]) AS asked(seq)
			CROSS JOIN LATERAL (
				SELECT m.seq, m.sender_id, m.content, m.created_at FROM messages m
				WHERE m.room = r.number AND m.seq = asked.seq ORDER BY m.room, m.seq LIMIT 1) o
			WHERE o.sender_id = p.sender_id AND o.content <> '' AND o.created_at > p_now - interval '48 hours 10 minutes') own ON true
		-- What somebody else has sent to be opened once, and the sender has not opened. The room's lock keeps two of their browsers apart.
		LEFT JOIN LATERAL (
			SELECT true AS is_openable FROM timed_messages t
			JOIN messages m ON m.room = t.room AND m.seq = t.seq AND (m.content <> '') IS TRUE
			WHERE t.room = r.number AND t.seq = p.opens AND t.opened_by IS NOT NULL AND (t.sender_id <> p.sender_id) IS TRUE
				AND NOT p.sender_id = ANY (t.opened_by)
			LIMIT 1) once ON p.opens IS NOT NULL
		LEFT JOIN LATERAL (
			SELECT bool_or(m.user_id = p.sender_id) AS is_member,
				bool_or(m.user_id = p.sender_id AND m.is_protected) AS is_protected,
				bool_or(m.is_protected) AS is_guarded,
				array_agg(m.user_id) AS members,
				max(m.received_count) FILTER (WHERE m.user_id = p.sender_id AND m.received_month >= p_month) AS received,
				-- A member who has declined the sender is told nothing, and one who has blocked the sender has nothing unread either.
				string_agg(m.user_id::text, ' ') FILTER (WHERE m.user_id = p.sender_id
					OR c.state IS DISTINCT FROM 'declined' AND c.is_blocked IS NOT TRUE) AS listeners,
				array_agg(m.user_id) FILTER (WHERE m.user_id <> p.sender_id AND c.state IS NULL AND r.type = 'direct') AS lapsed,
				bool_or(m.user_id = p.sender_id AND c.state <> 'accepted') AS is_request,
				bool_or(c.state IS DISTINCT FROM 'accepted' AND r.type = 'direct') AS is_unanswered,
				string_agg(m.chat_room_id || ' ' || m.user_id, ',') FILTER (WHERE m.user_id <> p.sender_id AND c.is_blocked) AS unheard
			FROM chat_participants m
			LEFT JOIN contacts c ON c.chat_room_id = m.chat_room_id AND (c.user_id = m.user_id) IS TRUE
			WHERE m.chat_room_id = p.chat_room_id) a ON true
		-- A verdict is found once, not once for each place above that asks for it.
		ORDER BY p.chat_room_id COLLATE "C" OFFSET 0
	) j;

	IF cardinality(rooms) > 0 THEN
		INSERT INTO messages (room, seq, id, sender_id, content, content_hash, message_type, file_path, file_name, file_size,
			is_encrypted, is_silent, reply_to_id, created_at)
		SELECT j.number, j.seq, p_ids[at], p_senders[at], p_contents[at], log_entry_hash(p_contents[at]), p_types[at], p_paths[at],
			p_names[at], p_sizes[at], p_epochs[at] IS NOT NULL, p_silent[at], p_replies[at], p_now
		FROM unnest(verdicts, numbers, seqs, spots) AS j(verdict, number, seq, at)
		WHERE j.verdict = 'stored';

		-- [Note: M9] LIFETIMES.unread. What opens once [Note: M14] and has no lifetime waits for no read mark.
		IF array_remove(p_lifetimes, NULL) <> '{}' OR true = ANY (p_once) THEN
			INSERT INTO timed_messages (room, seq, due_at, lifetime, is_read, sender_id, opened_by)
			SELECT j.number, j.seq, p_now + interval '30 days' + make_interval(secs => CASE WHEN p_once[at] THEN 0 ELSE p_lifetimes[at] END),
				coalesce(p_lifetimes[at], 2592000), p_lifetimes[at] IS NULL, p_senders[at], CASE WHEN p_once[at] THEN '{}'::uuid[] END
			FROM unnest(verdicts, numbers, seqs, spots) AS j(verdict, number, seq, at)
			WHERE j.verdict = 'stored' AND (p_lifetimes[at] IS NOT NULL OR p_once[at]);
		END IF;

		-- From now on who is given the message reads its file, and nobody else.
		IF array_remove(p_files, NULL) <> '{}' THEN
			UPDATE objects o SET state = 'used', chat_room_id = p_rooms[j.at], message_seq = j.seq
			FROM unnest(verdicts, seqs, spots) AS j(verdict, seq, at)
			WHERE j.verdict = 'stored' AND o.id = p_files[j.at];

			UPDATE file_usage u SET
				monthly_uploaded_bytes = CASE WHEN u.uploaded_month >= p_month THEN u.monthly_uploaded_bytes ELSE 0 END + p_sizes[j.at],
				uploaded_month = greatest(u.uploaded_month, p_month)
			FROM unnest(verdicts, spots) AS j(verdict, at)
			WHERE j.verdict = 'stored' AND p_files[j.at] IS NOT NULL AND u.user_id = p_senders[j.at];
		END IF;

		UPDATE chat_rooms SET
			last_seq = last_seq + 1,
			last_message_seq = CASE WHEN silent[width_bucket(id COLLATE "C", rooms)] THEN last_message_seq ELSE last_seq + 1 END,
			last_message_at = CASE WHEN silent[width_bucket(id COLLATE "C", rooms)] THEN last_message_at ELSE p_now END
		WHERE id = ANY (rooms);

		-- The row of each member, the sender's too: whatever a member's list shows of the room changes here and nowhere else.
		UPDATE chat_participants m SET (changed_in, is_new_to_member, unread_count, uncounted_seq, read_seq, delivered_seq, received_count, received_month) = (
			SELECT pg_current_xact_id(), true,
				CASE WHEN is_own OR is_silent THEN m.unread_count WHEN is_unheard THEN 0 ELSE m.unread_count + 1 END,
				CASE WHEN is_unheard THEN seq ELSE m.uncounted_seq END,
				CASE WHEN is_own AND m.unread_count = 0 THEN seq ELSE m.read_seq END,
				CASE WHEN is_own AND m.unread_count = 0 THEN seq ELSE m.delivered_seq END,
				CASE WHEN NOT is_noted AND (is_own OR is_silent OR is_unheard) THEN m.received_count
					WHEN m.received_month >= p_month THEN m.received_count + 1 ELSE 1 END,
				CASE WHEN NOT is_noted AND (is_own OR is_silent OR is_unheard) THEN m.received_month ELSE greatest(m.received_month, p_month) END
			FROM (
				SELECT m.user_id = senders[at] AS is_own, silent[at] AS is_silent, noted[at] AS is_noted, places[at] AS seq,
					unheard IS NOT NULL AND m.chat_room_id || ' ' || m.user_id = ANY (unheard) AS is_unheard
				FROM (SELECT width_bucket(m.chat_room_id COLLATE "C", rooms) AS at) found) news)
		WHERE m.chat_room_id = ANY (rooms);

		-- Members, what ends, messages, files: marks and the job lock in this order too.
		IF array_remove(p_opens, NULL) <> '{}' THEN
			UPDATE timed_messages t SET opened_by = t.opened_by || p_senders[j.at], due_at = CASE WHEN EXISTS (
				SELECT FROM chat_participants m WHERE m.chat_room_id = p_rooms[j.at] AND m.user_id <> t.sender_id
					AND m.user_id <> p_senders[j.at] AND NOT m.user_id = ANY (t.opened_by)) THEN t.due_at ELSE p_now END
			FROM unnest(verdicts, numbers, spots) AS j(verdict, number, at)
			WHERE j.verdict = 'stored' AND t.room = j.number AND t.seq = p_opens[j.at];

			-- What every member but its author has opened.
			FOR spot IN
				SELECT j.place FROM unnest(verdicts, numbers, spots) WITH ORDINALITY AS j(verdict, number, at, place)
				JOIN timed_messages t ON t.room = j.number AND t.seq = p_opens[j.at] AND (t.due_at <= p_now) IS TRUE
				WHERE j.verdict = 'stored'
			LOOP
				emptied[spot] := p_opens[spots[spot]]::text;
				DELETE FROM timed_messages t WHERE t.room = numbers[spot] AND t.seq = p_opens[spots[spot]];
			END LOOP;
		END IF;

		-- Place, sender and hash stay: the log is provable without the words [Note: M8].
		FOR spot IN SELECT at FROM unnest(emptied) WITH ORDINALITY AS j(seqs, at) WHERE j.seqs IS NOT NULL LOOP
			gone := string_to_array(emptied[spot], ' ');
			UPDATE messages m SET content = '', content_hash = coalesce(m.content_hash, log_entry_hash(m.content)), file_path = NULL,
				file_name = NULL, file_size = NULL
			WHERE m.room = numbers[spot] AND m.seq = ANY (gone);
			UPDATE objects o SET state = 'dropped'
			WHERE o.chat_room_id = p_rooms[spots[spot]] AND o.message_seq = ANY (gone) AND (o.state = 'used') IS TRUE;
		END LOOP;

		UPDATE users SET
			monthly_messages_count = CASE WHEN usage_reset_date < p_month THEN 0 ELSE monthly_messages_count END + 1,
			monthly_silent_count = CASE WHEN usage_reset_date < p_month THEN 0 ELSE monthly_silent_count END,
			usage_reset_date = greatest(usage_reset_date, p_month)
		WHERE id = ANY (counted);

		IF cardinality(hushed) > 0 THEN
			UPDATE users SET
				monthly_messages_count = CASE WHEN usage_reset_date < p_month THEN 0 ELSE monthly_messages_count END,
				monthly_silent_count = CASE WHEN usage_reset_date < p_month THEN 0 ELSE monthly_silent_count END + 1,
				usage_reset_date = greatest(usage_reset_date, p_month)
			WHERE id = ANY (hushed);
		END IF;

		IF cardinality(opened) > 0 THEN
			UPDATE open_chats o SET used_at = p_now
			FROM (
				SELECT held.chat_room_id, held.user_id, held.session_hash FROM unnest(opened) AS sent(place)
				JOIN open_chats held ON held.chat_room_id = p_rooms[sent.place] AND held.user_id = p_senders[sent.place]
					AND (held.session_hash = p_sessions[sent.place]) IS TRUE AND held.used_at <= p_now - interval '1 minute'
				-- Whoever locks the chat meanwhile is not waited for.
				FOR NO KEY UPDATE OF held SKIP LOCKED) due
			WHERE o.chat_room_id = due.chat_room_id AND o.user_id = due.user_id AND (o.session_hash = due.session_hash) IS TRUE;
		END IF;

		IF cardinality(requests) > 0 THEN
			UPDATE contacts SET state = 'accepted'
			WHERE chat_room_id = ANY (requests) AND (user_id = senders[width_bucket(chat_room_id COLLATE "C", rooms)]) IS TRUE AND state <> 'accepted';
		END IF;
	END IF;

	-- Who has a chat password hears of the message only in sessions that have opened the chat.
	FOREACH guarded_place IN ARRAY guarded LOOP
		spot := array_position(spots, guarded_place);
		details[spot] := (coalesce(details[spot]::jsonb, '{}') || jsonb_build_object('open', (
			SELECT jsonb_object_agg(m.user_id, ARRAY(
				SELECT encode(o.session_hash, 'hex') FROM open_chats o
				WHERE o.chat_room_id = m.chat_room_id AND o.user_id = m.user_id AND o.used_at > p_open_since))
			FROM chat_participants m
			LEFT JOIN contacts c ON c.chat_room_id = m.chat_room_id AND (c.user_id = m.user_id) IS TRUE
			WHERE m.chat_room_id = p_rooms[guarded_place] AND m.is_protected
				AND (m.user_id = p_senders[guarded_place] OR c.state IS DISTINCT FROM 'declined' AND c.is_blocked IS NOT TRUE))))::json;
	END LOOP;

	RETURN QUERY SELECT j.verdict, j.seq, j.listeners, j.more
	FROM unnest(verdicts, seqs, told, details, spots) AS j(verdict, seq, listeners, more, place) ORDER BY j.place;
END $$;
