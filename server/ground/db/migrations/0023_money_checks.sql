-- No row of before changes. The first checks fill it within a minute of the start; an older build leaves it alone.
CREATE TABLE "money_checks" (
	"name" text PRIMARY KEY NOT NULL,
	"finished_at" timestamp (3) with time zone NOT NULL,
	"looked" integer NOT NULL,
	"differing" integer NOT NULL,
	"mended" integer NOT NULL,
	"lines" jsonb NOT NULL
);
