// The worker's entry has nothing in it: WebKit would run it again for a part that is loaded later and imports it (scripts/entryonce.ts).
import './answering.ts'
