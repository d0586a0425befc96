-- Nothing was sent back yet, as far as anybody has noted: both are null in every row.
ALTER TABLE "crypto_payments" ADD COLUMN "refund_transaction" text;--> statement-breakpoint
ALTER TABLE "crypto_reviews" ADD COLUMN "refund_transaction" text;