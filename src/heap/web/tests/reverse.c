/* Reverses a doubly linked list, with the three faults of figure 1 of the Wolverine2 paper. */
#include <stdio.h>
#include <stdlib.h>

struct node {
    int data;
    struct node *next;
    struct node *prev;
};

struct node *head = NULL;

void push(int data) {
    struct node *fresh = malloc(sizeof(struct node));
    fresh->data = data;
    fresh->prev = NULL;
    fresh->next = head;
    if (head != NULL) {
        head->prev = fresh;
    }
    head = fresh;
}

void reverse(void) {
    struct node *current = NULL;
    struct node *temp1 = NULL;
    struct node *temp2 = NULL;
    current = head;
    while (temp1 != NULL) {
        temp1 = current->prev;
        temp2 = current->prev;
        current->prev = temp2;
        current->next = temp1;
        current = current->prev;
    }
}

int main(void) {
    push(2);
    push(4);
    push(8);
    push(10);
    reverse();
    for (struct node *at = head; at != NULL; at = at->next) {
        printf("%d\n", at->data);
    }
    return 0;
}
