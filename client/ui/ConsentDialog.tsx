import { Info } from 'lucide-react'
import { Dialog } from './Dialog.tsx'
import { Note } from './Note.tsx'

interface Props {
  title: string
  text: string
  note?: string | undefined
  /** Absent: it cannot be allowed. */
  allow?: string | undefined
  leave: string
  /** True if allowing is the usual thing, once told. Otherwise it undoes what the person has chosen. */
  isUsual: boolean
  onAllow: () => void
  onLeave: () => void
}

/** What a connection would show, before it does. What shows nothing has the focus. */
export function ConsentDialog({ title, text, note, allow, leave, isUsual, onAllow, onLeave }: Props) {
  const allowing = allow && (
    <button type="button" key="allow" className={isUsual ? 'btn primary' : 'btn outline'} onClick={onAllow}>
      {allow}
    </button>
  )
  const leaving = (
    <button type="button" key="leave" className={isUsual ? 'btn outline' : 'btn primary'} data-first onClick={onLeave}>
      {leave}
    </button>
  )
  return (
    <Dialog title={title} text={text} onClose={onLeave}>
      {note && <Note icon={Info}>{note}</Note>}
      <footer>{isUsual ? [leaving, allowing] : [allowing, leaving]}</footer>
    </Dialog>
  )
}
