package dev.weir.text.message;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Why a file cannot be used, for people: the exceptions of Java often say no more than its name. */
public final class FileErrors {
    private FileErrors() {}

    /** Without the file's name, which the reader has before their eyes. */
    public static String why(IOException e) {
        if (e instanceof NoSuchFileException) {
            return "it does not exist";
        }
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof FileAlreadyExistsException || e instanceof NotDirectoryException) {
            return "it is not a folder";
        }
        String reason = e instanceof FileSystemException of ? of.getReason() : e.getMessage();
        return reason == null ? e.getClass().getSimpleName() : reason;
    }

    /** With the file's name, wherever it is known. */
    public static String what(IOException e) {
        return e instanceof FileSystemException of && of.getFile() != null
                ? of.getFile() + ": " + why(e)
                : String.valueOf(e.getMessage());
    }
}
