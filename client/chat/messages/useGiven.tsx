import { useEffect, useState } from 'react'

/** Belongs to the chat, since the code that sends files loads later. app/Notices.tsx reports files that nothing takes. */
export function useGiven() {
  const [files, setFiles] = useState<File[]>([])
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    function give(event: DragEvent | ClipboardEvent, data: DataTransfer | null) {
      if (!data?.types.includes('Files') || isCovered()) return
      event.preventDefault()
      if (event.type === 'dragover') return setOver(true)
      event.stopPropagation()
      const given = [...data.files]
      setFiles((before) => [...before, ...given])
    }
    const paste = (event: ClipboardEvent) => !isText(event.clipboardData) && give(event, event.clipboardData)
    const over = (event: DragEvent) => give(event, event.dataTransfer)
    const leave = (event: DragEvent) => event.relatedTarget === null && setOver(false)
    const drop = (event: DragEvent) => {
      setOver(false)
      give(event, event.dataTransfer)
    }
    const end = new AbortController()
    document.addEventListener('paste', paste, end)
    document.addEventListener('dragover', over, end)
    document.addEventListener('dragleave', leave, end)
    document.addEventListener('drop', drop, end)
    return () => end.abort()
  }, [])
  return { files, isOver, taken: () => setFiles([]) }
}

/** True while a dialog that is not about these files is open. */
const isCovered = (): boolean => document.querySelector('[role=dialog]:not(:has(.att-send)), [role=alertdialog]') !== null

/**
 * Office programs copy text with a picture of the text. A browser's picture has no plain text, and a copied file's name no
 * format.
 */
const isText = (data: DataTransfer | null): boolean =>
  data?.types.includes('text/html') === true && data.getData('text/plain').trim() !== ''
