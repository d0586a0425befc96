/** How far a member of a room has received and read. */
export interface Marks {
  deliveredSeq: number
  readSeq: number
}

/** What became of the message at `seq`, by the marks of everyone who did not write it: the one who is furthest behind decides. */
export function statusOf(seq: number, readers: Marks[]): 'sent' | 'delivered' | 'read' {
  if (readers.length === 0) return 'sent'
  if (readers.every(({ readSeq }) => readSeq >= seq)) return 'read'
  return readers.every(({ deliveredSeq }) => deliveredSeq >= seq) ? 'delivered' : 'sent'
}
