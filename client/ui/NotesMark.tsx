import { Bookmark } from 'lucide-react'

/** Stands for a face, where one writes to oneself. */
export const NotesMark = ({ size = 44 }: { size?: 36 | 40 | 44 }) => (
  <span className={`av none d${size}`} aria-hidden="true">
    <Bookmark className="i" />
  </span>
)
