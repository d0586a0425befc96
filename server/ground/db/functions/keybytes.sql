-- Counts what an account has stored for the keys of its chats on a UTC day. False where it is more than the budget of that day: the caller
-- then gives its transaction up, and nothing is counted. The contacts are counted only behind the first amount, which few pass.
CREATE OR REPLACE FUNCTION "take_key_bytes"("p_user" uuid, "p_bytes" bigint, "p_day" timestamp with time zone,
	"p_first" bigint, "p_each" bigint, "p_most" bigint) RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
	taken bigint;
BEGIN
	INSERT INTO key_bytes AS k (user_id, day, taken_bytes) VALUES (p_user, p_day, p_bytes)
	ON CONFLICT (user_id) DO UPDATE SET
		day = greatest(k.day, EXCLUDED.day),
		taken_bytes = CASE WHEN k.day >= EXCLUDED.day THEN k.taken_bytes ELSE 0 END + EXCLUDED.taken_bytes
	RETURNING k.taken_bytes INTO taken;
	RETURN taken <= p_first OR taken <= least(p_most, p_first + p_each * (
		SELECT count(*) FROM contacts mine
		JOIN contacts theirs ON theirs.user_id = mine.contact_user_id AND theirs.contact_user_id = mine.user_id
		WHERE mine.user_id = p_user AND mine.state = 'accepted' AND theirs.state = 'accepted'));
END $$;
