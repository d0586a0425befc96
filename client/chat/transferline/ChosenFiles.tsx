import { X } from 'lucide-react'
import { IconButton } from '../../ui/IconButton.tsx'
import { nameOf } from '../files/fileWords.ts'
import { TransferFile } from './TransferFile.tsx'

interface Props {
  files: readonly File[]
  isSending: boolean
  onLeaveOut: (file: File) => void
}

/** What was chosen and not offered yet. */
export const ChosenFiles = ({ files, isSending, onLeaveOut }: Props) => (
  <ul className="transfer-list" aria-label="Chosen files">
    {files.map((file, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: two files may have the same name
      <li key={`${at} ${file.name}`}>
        <TransferFile file={{ name: file.name, sizeBytes: file.size }}>
          <IconButton
            icon={X}
            label={`Leave out ${nameOf(file.name)}`}
            isTight
            isDisabled={isSending}
            onClick={() => onLeaveOut(file)}
          />
        </TransferFile>
      </li>
    ))}
  </ul>
)
