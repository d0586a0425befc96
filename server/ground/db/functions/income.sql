-- By how much an entry lessens what was paid: a refund and a dispute, less a refund that failed and a dispute that was won.
CREATE OR REPLACE FUNCTION "returned"("kind" text, "cents" bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN kind IN ('refund', 'dispute') THEN cents WHEN kind IN ('refund_failed', 'dispute_won') THEN -cents ELSE 0 END
$$;

-- Sandbox and test money counts while the server takes cards there, real money for good.
CREATE OR REPLACE FUNCTION "is_counted"("source" text, "provider_id" integer) RETURNS boolean LANGUAGE sql STABLE AS $$
	SELECT source <> 'card' OR EXISTS (SELECT FROM card_providers p WHERE p.id = provider_id AND p.counts)
$$;

-- How much of that part of a payment is its tax, in whole cents. Nothing above the payment counts.
CREATE OR REPLACE FUNCTION "tax_of"("cents" bigint, "paid" bigint, "tax" bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN coalesce(tax, 0) = 0 THEN 0 ELSE round(tax::numeric * greatest(least(cents, paid), 0) / paid) END::bigint
$$;

-- That part without its tax, which is no income.
CREATE OR REPLACE FUNCTION "net_of"("cents" bigint, "paid" bigint, "tax" bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
	SELECT greatest(least(cents, paid), 0) - tax_of(cents, paid, tax)
$$;

-- By how much the income from an account rises or falls, and when, by its entries but for some. It is in twelfths of a US cent a month, so
-- that sums stay whole numbers: what was paid for a year without its tax counts once, for a month twelve times. A refund counts from when it was written.
-- Periods of a deleted account end with it. subscribers: 1 while the account has paid for Premium, and was not paid back.
CREATE OR REPLACE FUNCTION "income_of"("u" "users", "without" bigint[])
RETURNS TABLE ("at" timestamp with time zone, "recurring" bigint, "premium" bigint, "subscribers" bigint) LANGUAGE sql STABLE AS $$
	WITH money AS (
		SELECT p.tier, greatest(p.starts_at, m.created_at) AS begins, least(p.ends_at, u.deleted_at) AS ends,
			m.cents * CASE p.billing_period WHEN 'yearly' THEN 1 ELSE 12 END AS twelfths
		FROM ledger_entries p CROSS JOIN LATERAL (
			SELECT p.created_at, p.amount_cents - coalesce(p.tax_cents, 0) AS cents
			-- What is refunded and disputed too takes no more than was paid.
			UNION ALL SELECT r.created_at,
				net_of(r.before, p.amount_cents, p.tax_cents) - net_of(r.before + r.cents, p.amount_cents, p.tax_cents)
			FROM (
				SELECT e.created_at, returned(e.kind, e.amount_cents) AS cents,
					(sum(returned(e.kind, e.amount_cents)) OVER (ORDER BY e.place))::bigint - returned(e.kind, e.amount_cents) AS before
				FROM ledger_entries e
				WHERE e.refers_to = p.key AND returned(e.kind, e.amount_cents) <> 0 AND e.place <> ALL (without)) r) m
		WHERE p.user_id = u.id AND p.kind = 'payment' AND p.place <> ALL (without) AND is_counted(p.source, p.provider_id)
	), steps AS (
		SELECT s.at, sum(s.twelfths)::bigint AS recurring, sum(CASE s.tier WHEN 'premium' THEN s.twelfths ELSE 0 END)::bigint AS premium
		FROM (
			SELECT begins AS at, tier, twelfths FROM money
			UNION ALL SELECT greatest(ends, begins), tier, -twelfths FROM money WHERE ends IS NOT NULL) s
		GROUP BY s.at
	), paying AS (
		SELECT s.*, (sum(s.premium) OVER (ORDER BY s.at) > 0)::int AS pays FROM steps s
	)
	SELECT p.at, p.recurring, p.premium, p.pays - lag(p.pays, 1, 0) OVER (ORDER BY p.at)::bigint FROM paying p
$$;

-- Whoever writes an entry writes the sums by the same statement: what the account's entries say with it, less what they said without it.
CREATE OR REPLACE FUNCTION "note_income"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	-- Verbs hold the lock already; a statement by hand must wait too, because the entries of an account are read one after the other.
	PERFORM FROM users u WHERE u.id IN (SELECT e.user_id FROM entries e) ORDER BY u.id FOR NO KEY UPDATE;
	INSERT INTO income (at, recurring, premium, subscribers, paid, refunded)
	SELECT s.at, sum(s.recurring), sum(s.premium), sum(s.subscribers), sum(s.paid), sum(s.refunded)
	FROM (
		SELECT i.at, w.sign * i.recurring AS recurring, w.sign * i.premium AS premium, w.sign * i.subscribers AS subscribers, 0 AS paid, 0 AS refunded
		FROM (SELECT e.user_id, array_agg(e.place) AS places FROM entries e WHERE e.kind = 'payment' OR returned(e.kind, e.amount_cents) <> 0 GROUP BY e.user_id) a
			JOIN users u ON u.id = a.user_id
			CROSS JOIN LATERAL (VALUES (1, '{}'::bigint[]), (-1, a.places)) w (sign, places)
			CROSS JOIN LATERAL income_of(u, w.places) i
		UNION ALL
		SELECT e.created_at, 0, 0, 0, CASE e.kind WHEN 'payment' THEN e.amount_cents - coalesce(e.tax_cents, 0) ELSE 0 END,
			returned(e.kind, e.amount_cents - coalesce(e.tax_cents, 0))
		FROM entries e WHERE (e.kind = 'payment' OR returned(e.kind, e.amount_cents) <> 0) AND is_counted(e.source, e.provider_id)) s
	GROUP BY s.at
	HAVING (sum(s.recurring), sum(s.premium), sum(s.subscribers), sum(s.paid), sum(s.refunded)) <> (0, 0, 0, 0, 0);
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "ledger_entries_income" AFTER INSERT ON "ledger_entries" REFERENCING NEW TABLE AS entries
	FOR EACH STATEMENT EXECUTE FUNCTION note_income();

CREATE OR REPLACE FUNCTION "note_end_of_income"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO income (at, recurring, premium, subscribers, paid, refunded)
	SELECT s.at, sum(s.recurring), sum(s.premium), sum(s.subscribers), 0, 0
	FROM (
		SELECT * FROM income_of(NEW, '{}')
		UNION ALL SELECT i.at, -i.recurring, -i.premium, -i.subscribers FROM income_of(OLD, '{}') i) s
	GROUP BY s.at HAVING (sum(s.recurring), sum(s.premium), sum(s.subscribers)) <> (0, 0, 0);
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "users_end_of_income" AFTER UPDATE OF "deleted_at" ON "users" FOR EACH ROW EXECUTE FUNCTION note_end_of_income();
