-- Nothing has counted in these columns: file_usage has what an account sends, and the rows of files what it receives.
ALTER TABLE "monthly_usage" DROP COLUMN "files_uploaded_bytes";--> statement-breakpoint
ALTER TABLE "chat_participants" DROP COLUMN "received_bytes";