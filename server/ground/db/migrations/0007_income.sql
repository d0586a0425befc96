-- No entry of before changes. What the ledger says of income is added up once, in one pass over it: a row for each day that is over, by the
-- newest entry, and one for each instant behind. From then on triggers write the sums, in the transaction of each entry and of each deleted
-- account; they are made by this very start, and a build of before that is started again later finds them still there. It keeps its two
-- indexes no more, so its own look at the income is slow.
LOCK TABLE "ledger_entries", "users" IN SHARE ROW EXCLUSIVE MODE;--> statement-breakpoint
CREATE TABLE "income" (
	"at" timestamp (3) with time zone NOT NULL,
	"recurring" bigint NOT NULL,
	"premium" bigint NOT NULL,
	"subscribers" bigint NOT NULL,
	"paid" bigint NOT NULL,
	"refunded" bigint NOT NULL
);
--> statement-breakpoint
SET LOCAL work_mem = '128MB';--> statement-breakpoint
INSERT INTO "income" ("at", "recurring", "premium", "subscribers", "paid", "refunded")
WITH money AS (
	SELECT m.user_id, greatest(m.starts_at, m.created_at) AS begins, least(m.ends_at, u.deleted_at) AS ends, m.twelfths,
		CASE m.tier WHEN 'premium' THEN m.twelfths ELSE 0 END AS premium
	FROM (
		SELECT p.user_id, p.tier, p.starts_at, p.ends_at, p.created_at, p.amount_cents * CASE p.billing_period WHEN 'yearly' THEN 1 ELSE 12 END AS twelfths
		FROM ledger_entries p WHERE p.kind = 'payment'
		UNION ALL
		SELECT p.user_id, p.tier, p.starts_at, p.ends_at, r.created_at, -r.amount_cents * CASE p.billing_period WHEN 'yearly' THEN 1 ELSE 12 END
		FROM ledger_entries p JOIN ledger_entries r ON r.refers_to = p.key AND r.kind = 'refund' WHERE p.kind = 'payment') m
		LEFT JOIN users u ON u.id = m.user_id AND u.deleted_at IS NOT NULL
), steps AS (
	SELECT s.user_id, s.at, sum(s.twelfths)::bigint AS recurring, sum(s.premium)::bigint AS premium
	FROM (
		SELECT user_id, begins AS at, twelfths, premium FROM money
		UNION ALL SELECT user_id, greatest(ends, begins), -twelfths, -premium FROM money WHERE ends IS NOT NULL) s
	GROUP BY s.user_id, s.at
), paying AS (
	SELECT s.*, (sum(s.premium) OVER (PARTITION BY s.user_id ORDER BY s.at) > 0)::int AS pays FROM steps s
), moves AS (
	SELECT p.at, p.recurring, p.premium, p.pays - lag(p.pays, 1, 0) OVER (PARTITION BY p.user_id ORDER BY p.at) AS subscribers, 0::bigint AS paid,
		0::bigint AS refunded
	FROM paying p
	UNION ALL
	SELECT created_at, 0, 0, 0, CASE kind WHEN 'payment' THEN amount_cents ELSE 0 END, CASE kind WHEN 'refund' THEN amount_cents ELSE 0 END
	FROM ledger_entries WHERE kind IN ('payment', 'refund')
), newest AS (
	SELECT date_trunc('day', max(created_at), 'UTC') AS day FROM ledger_entries WHERE kind IN ('payment', 'refund')
)
SELECT CASE WHEN m.at < n.day THEN date_trunc('day', m.at, 'UTC') ELSE m.at END, sum(m.recurring), sum(m.premium), sum(m.subscribers), sum(m.paid),
	sum(m.refunded)
FROM moves m CROSS JOIN newest n GROUP BY 1
HAVING (sum(m.recurring), sum(m.premium), sum(m.subscribers), sum(m.paid), sum(m.refunded)) <> (0, 0, 0, 0, 0);
--> statement-breakpoint
CREATE INDEX "income_at" ON "income" USING btree ("at");--> statement-breakpoint
DROP INDEX "ledger_entries_ends";--> statement-breakpoint
DROP INDEX "ledger_entries_money";--> statement-breakpoint
CREATE INDEX "ledger_entries_grants" ON "ledger_entries" USING btree ("user_id") WHERE "ledger_entries"."kind" = 'grant';
