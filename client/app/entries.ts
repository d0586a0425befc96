/** One thing that Ctrl+K leads to. A feature adds its own to the list in useEntries.tsx. */
export interface Entry {
  id: string
  /** `Contact`: what can be done with the person of the open chat. */
  group: 'Chats' | 'Settings' | 'Actions' | 'Contact'
  words: string
  /** Shown beside the words, and searched as well: "@bob". */
  hint?: string
  /** True for a part of a page, which is found by its words alone. */
  isPart?: boolean
  run: () => void
}

/** Rows of chats while nothing was typed: the newest ones. */
const NEWEST = 5
/** Rows that are shown at most. */
const SHOWN_MAX = 50

/**
 * The entries that hold every typed word, those first whose words begin with the first of them. What can be done with the person of the
 * open chat comes first by its verb alone, and last by a name. The order stays otherwise.
 */
export function foundEntries<E extends Entry>(entries: E[], typed: string): E[] {
  const parts = typed.toLowerCase().split(/\s+/).filter(Boolean)
  const [first = ''] = parts
  if (first === '') {
    let count = 0
    return entries.filter(({ group, isPart }) => !isPart && (group !== 'Chats' || ++count <= NEWEST))
  }
  const found = entries.filter(({ words, hint = '', group }) =>
    parts.every((part) => `${words} ${hint} ${group}`.toLowerCase().includes(part)),
  )
  const rank = ({ words, hint = '', group }: Entry) => {
    const all = `${words} ${hint.replace('@', '')}`.toLowerCase().split(' ')
    if (group === 'Contact') return all[0]?.startsWith(first) ? 0 : 2
    return all.some((word) => word.startsWith(first)) ? 0 : 1
  }
  return found.sort((a, b) => rank(a) - rank(b)).slice(0, SHOWN_MAX)
}
