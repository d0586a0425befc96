/** How far a member of a room has received and read. */
export interface Marks {
  deliveredSeq: number
  readSeq: number
}

/** What became of the message at `seq`, by the marks of the member who did not write it. */
export function statusOf(seq: number, reader: Marks): 'sent' | 'delivered' | 'read' {
  if (reader.readSeq >= seq) return 'read'
  return reader.deliveredSeq >= seq ? 'delivered' : 'sent'
}
