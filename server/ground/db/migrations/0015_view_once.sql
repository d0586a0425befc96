-- No row, vault or session of before changes: what opens once is told by a value that no earlier row has. A build of before that runs on
-- this database posts nothing that opens once, and opens nothing.
ALTER TABLE "timed_messages" ADD COLUMN "opened_by" uuid[];
