-- A request asks for a package, as before; null stands for the built-in plan of its tier. No transaction is looked for by its name yet.
ALTER TABLE "crypto_payments" ALTER COLUMN "package_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "crypto_payments" ADD COLUMN "named_transaction" text;--> statement-breakpoint
ALTER TABLE "crypto_payments" ADD COLUMN "named_at" timestamp (3) with time zone;