// Gives the reader a file.

export function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser has taken it once this turn is over.
  setTimeout(() => URL.revokeObjectURL(link.href));
}
