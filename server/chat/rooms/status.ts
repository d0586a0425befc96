/** The seqs up to which a member of a room has received and read. */
export interface Marks {
  deliveredSeq: number
  readSeq: number
}

/** Returns the status of the message at `seq`. The reader with the lowest marks decides. */
export function statusOf(seq: number, readers: Marks[]): 'sent' | 'delivered' | 'read' {
  if (readers.length === 0) return 'sent'
  if (readers.every(({ readSeq }) => readSeq >= seq)) return 'read'
  return readers.every(({ deliveredSeq }) => deliveredSeq >= seq) ? 'delivered' : 'sent'
}
