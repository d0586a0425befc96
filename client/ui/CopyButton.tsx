import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { IconButton } from './IconButton.tsx'
import { showToast } from './toast.ts'

interface Props {
  text: string
  /** "Copy the onion address" */
  label: string
  className?: string
}

export function CopyButton({ text, label, className = '' }: Props) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), 2000)
    return () => clearTimeout(timer)
  }, [isCopied])

  async function copy() {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
    } catch {
      // The browser has denied access to the clipboard, so the text is shown for copying by hand.
      showToast({ tone: 'plain', title: 'Copy it from here', text })
    }
  }

  return (
    <>
      <IconButton icon={isCopied ? Check : Copy} label={label} onClick={copy} isTight className={className} />
      <span className="sr" role="status">
        {isCopied && 'Copied'}
      </span>
    </>
  )
}
