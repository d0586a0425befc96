export const filesWords = (count: number) => (count === 1 ? '1 file' : `${count} files`)
