-- No account of before changes. The accounts of each plan are counted once; from then on a trigger writes the counts with each account. It is
-- made by this very start, and a build of before that is started again later finds it still there.
LOCK TABLE "users" IN SHARE ROW EXCLUSIVE MODE;--> statement-breakpoint
CREATE TABLE "plan_counts" (
	"plan" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"people" bigint NOT NULL
);
--> statement-breakpoint
INSERT INTO "plan_counts" ("plan", "at", "people")
WITH own AS (
	SELECT CASE WHEN subscription_end_date IS NULL AND subscription_status <> 'active' THEN 'free'
		ELSE coalesce('package:' || subscription_package_id, subscription_tier) END AS plan, subscription_end_date AS ends, count(*) AS people
	FROM users WHERE deleted_at IS NULL GROUP BY 1, 2
)
SELECT s.plan, s.at, sum(s.people)
FROM (
	SELECT plan, '-infinity'::timestamptz AS at, people FROM own
	UNION ALL SELECT plan, ends, -people FROM own WHERE ends IS NOT NULL
	UNION ALL SELECT 'free', ends, people FROM own WHERE ends IS NOT NULL) s
GROUP BY s.plan, s.at HAVING sum(s.people) <> 0;
--> statement-breakpoint
CREATE INDEX "plan_counts_at" ON "plan_counts" USING btree ("at");
