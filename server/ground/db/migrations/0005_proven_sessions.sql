-- A session of before has no proof: its device signs at the next load, and nobody is signed out. What its browser is called is written then.
ALTER TABLE "devices" ADD COLUMN "sign_in_hash" "bytea";--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "proven_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "browser" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "system" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "ingress" text DEFAULT 'direct' NOT NULL;