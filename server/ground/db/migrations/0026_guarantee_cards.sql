-- No row of before changes: the guarantee that was used before counts for its account alone. An older build leaves the table alone.
CREATE TABLE "guarantee_cards" (
	"card" bytea PRIMARY KEY NOT NULL,
	"subscription" bytea NOT NULL,
	"used_at" timestamp (3) with time zone NOT NULL
);
