import { Check, Copy } from 'lucide-react'
import { IconButton } from './IconButton.tsx'
import { useCopy } from './useCopy.tsx'

interface Props {
  text: string
  /** "Copy the onion address" */
  label: string
  className?: string
}

export function CopyButton({ text, label, className = '' }: Props) {
  const { isCopied, copy } = useCopy(text)
  return (
    <>
      <IconButton icon={isCopied ? Check : Copy} label={label} onClick={copy} isTight className={className} />
      <span className="sr" role="status">
        {isCopied && 'Copied'}
      </span>
    </>
  )
}
