import { ShieldAlert } from 'lucide-react'
import { Note } from '../../ui/Note.tsx'

/** Says why the person has to sign in again. */
export function EndedNotice({ words }: { words: string }) {
  return (
    <Note icon={ShieldAlert} role="status">
      {words}
    </Note>
  )
}
