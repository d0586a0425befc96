import { FileText } from 'lucide-react'
import './kindTile.css'

/** A file's ending in a tile of 40 px. */
export function KindTile({ name }: { name: string }) {
  const ending = /\.([a-z0-9]{1,4})$/i.exec(name)?.[1]
  return (
    <span className="kind-tile" aria-hidden="true">
      {ending ? ending.toUpperCase() : <FileText className="i" />}
    </span>
  )
}
