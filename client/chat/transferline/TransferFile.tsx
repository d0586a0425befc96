import type { ReactNode } from 'react'
import type { TransferContent } from '../../../contract/chat/content.ts'
import { bytesWords } from '../../ui/bytes.ts'
import { nameOf } from '../files/fileWords.ts'
import { KindTile } from '../files/KindTile.tsx'
import './transfer.css'

interface Props {
  file: Pick<TransferContent, 'name' | 'sizeBytes'>
  /** In the size's place. */
  about?: ReactNode
  children?: ReactNode
}

/** A file as a line: its ending, name and size, and what can be done at the right. */
export function TransferFile({ file, about, children }: Props) {
  const name = nameOf(file.name) || 'Document'
  return (
    <div className="transfer-file">
      <KindTile name={name} />
      <span className="transfer-words">
        <b>
          <bdi>{name}</bdi>
        </b>
        <small>{about ?? bytesWords(file.sizeBytes)}</small>
      </span>
      {children}
    </div>
  )
}
