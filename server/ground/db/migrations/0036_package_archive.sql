-- No package is archived yet: hidden ones stay as they are. Nobody's received files were reset, so all of the month count.
ALTER TABLE "monthly_usage" ADD COLUMN "received_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "premium_packages" ADD COLUMN "archived_at" timestamp (3) with time zone;