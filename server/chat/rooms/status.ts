export interface Marks {
  deliveredSeq: number
  readSeq: number
}

/** The lowest marks decide. */
export function statusOf(seq: number, readers: Marks[]): 'sent' | 'delivered' | 'read' {
  if (readers.length === 0) return 'sent'
  if (readers.every(({ readSeq }) => readSeq >= seq)) return 'read'
  return readers.every(({ deliveredSeq }) => deliveredSeq >= seq) ? 'delivered' : 'sent'
}
