-- Requests of before keep their addresses, whose numbers nobody wrote down. Those that were no longer looked at are looked at again, and so
-- for ever, not all of them at once; what nobody paid and was deleted stays gone. The job that deleted it is no more.
UPDATE "crypto_payments" SET "next_look_at" = now() + random() * (now() - "created_at") / 10 WHERE "next_look_at" IS NULL;--> statement-breakpoint
ALTER TABLE "crypto_payments" ALTER COLUMN "next_look_at" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "crypto_payments" ADD COLUMN "address_index" integer;--> statement-breakpoint
DELETE FROM "jobs" WHERE "name" = 'unpaid-coin-payments';
